// Package job is one run of ajlo, on one screen in run.go:
//
//	event logs ─▶ eventlog ─▶ fact ─▶ joingraph ─▶ drift ─▶ plan ─▶ script ─▶ execute ─▶ verify ─▶ state
//	               bytes→      events→  facts+rows   this vs   layouts  plan→    typed      did it     SQLite
//	               events      facts    →JIS         prior     chosen   SQL text steps run  help?
//	                                      ▲                    ▲                  ▲
//	                                      └── lake: what the tables are now ──────┘
//
// In come a config, event logs, the tables of a lake and the state of earlier nights; out go
// a plan with its script, rewritten tables, and the run's story in the state. The stages hand
// on plain values; everything up to the script only reads, and only execute changes a table.
// A dry run is a run that stops before it.
package job
