// Package enginetest holds every engine to the contract of package execute.
//
// In comes a way to make the engine around a store, so that the suite can stand between
// engine and storage: commit for someone else at the worst moment, fill the disk, lose
// replies, cancel, kill the process. What is checked is told by readers that share no code
// with the engines: rows by package rowtest, files by listing the folder, the log by its own
// text. Tables are those that real Spark wrote and some that it would not write.
package enginetest
