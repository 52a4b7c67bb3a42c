// Package layout holds the physical layout of a table ⟨P, C, scope⟩ (partition columns,
// clustering keys, which part is kept so) and the orders that make one.
//
// In come ranks of key columns, row by row; out come the order in which rows are written and
// the offsets at which they are cut into files. The simulation of a layout and the engine
// that makes it call the same functions, so what is foretold is what is made. Every function
// is pure and gives the same answer for the same input. Sequence refuses an order that is
// none, no keys, and more keys than a curve can weigh.
package layout
