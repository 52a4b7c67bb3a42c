// Package plan decides how the tables of the lake should be laid out together under the
// budgets: join graph, facts and snapshots in, a complete plan out. It is pure: no clock, no
// storage, no randomness; the same inputs give the same plan byte for byte (rule 10).
package plan
