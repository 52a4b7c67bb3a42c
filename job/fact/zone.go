package fact

import (
	"regexp"
	"strconv"
	"time"
	_ "time/tzdata" // the image that runs this may have no zone files
)

// offsetZone is a zone as a difference from UTC, as Java spells it: +08:00, GMT-5, UTC+3.
var offsetZone = regexp.MustCompile(`^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?$`)

// zone finds a zone by its Java name; nil is an unknown zone, and then no timestamp that
// was printed in it can be read.
func zone(name string) *time.Location {
	if name == "Z" || name == "GMT0" {
		return time.UTC
	}
	if m := offsetZone.FindStringSubmatch(name); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*secondsPerHour + minutes*secondsPerMinute
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds)
	}
	if name == "" || name == "Local" {
		return nil // time.LoadLocation would take both for a zone of this machine
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return l
}

const (
	secondsPerHour   = 3_600
	secondsPerMinute = 60
)
