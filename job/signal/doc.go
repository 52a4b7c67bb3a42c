// Package signal tells other systems what a run or a merge does: a text file for Prometheus' node exporter,
// OpenLineage events to a file or by HTTP, and one summary to a webhook.
//
// In come a run's figures as plain values; out go files and requests. What always holds: no method
// gives an error or waits longer than the time limit for each place, so that no run fails or
// hangs for want of a listener; a place that fails is warned of once, and then only tried again at
// the run's end; neither warnings nor files hold a token or the address of a webhook, which is a
// secret itself.
package signal
