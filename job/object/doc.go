// Package object reads and writes files in one folder of a lake, whatever storage holds it.
//
// In comes a local folder or its URL; out goes a Store that lists, reads, creates and deletes by
// key: a slash-separated path below the folder. Two things always hold: a key never
// leaves the folder, and PutIfAbsent has exactly one winner per key, also between processes.
// It refuses other storage by naming the scheme: package bucket opens the same Store there.
//
// Symbolic links inside the folder are followed, as engines follow them; a key as such
// cannot climb.
package object
