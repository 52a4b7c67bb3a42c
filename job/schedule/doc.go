// Package schedule says when nights are due, and keeps a process that runs each of them once.
//
// In come a cron expression, a zone and a clock; out comes one firing for each time of the wall
// clock that the expression names: one that daylight saving leaves out comes late by what was
// left out, one that it repeats comes the first time. A firing knows its night, by the zone's
// date, and where its window ends.
//
// What always holds: one night at a time; of firings that were missed, since the process or its
// machine was down, asleep or busy, the latest alone is made up for; a clock that is set back
// fires nothing again.
package schedule
