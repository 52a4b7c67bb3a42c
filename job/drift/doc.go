// Package drift measures how far the workload of one window has moved from that of an
// earlier one, edge by edge. It is pure.
package drift
