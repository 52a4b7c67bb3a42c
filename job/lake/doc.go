// Package lake gives one neutral picture of a table, whatever its format: its files with
// their bounds, its layout and what stands in the way of changing it.
//
// In comes a store rooted at the table's folder; out goes a Snapshot of the newest version,
// and a Sample of its rows for some columns. What always holds: bounds enclose the values of
// their file as engines read them, what is not known is said to be unknown, and the same
// version gives the same snapshot and sample. It reads only.
//
// Delta tables of any feature can be looked at, so that advice can be given before a
// rewrite is refused, and Iceberg tables as their manifests and their history tell of them.
// Other folders are refused by name.
package lake
