package delta

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// attempt is what a commit has to know of the versions before it beside files: it is
// followed through every commit that came first.
type attempt struct {
	version int64 // that would be written
	// rowIDs is the highest row id given so far, −1 where there is none.
	rowIDs int64
	// inCommitTime is the last commit's inCommitTimestamp, ms since the epoch, 0 where unknown.
	inCommitTime int64
}

// Properties and features that ask something of each commit.
const (
	inCommitFeature = "inCommitTimestamp"
	inCommitKey     = "delta.enableInCommitTimestamps"
	liquid          = "liquid" // the clustering that Spark knows
)

// noRowIDs stands before the first row id, 0.
const noRowIDs = -1

func firstAttempt(read Snapshot) (attempt, error) {
	a := attempt{version: read.Version + 1, rowIDs: noRowIDs, inCommitTime: read.InCommitTime}
	if d, ok := read.Domains[rowTrackingDomain]; ok {
		return a, a.noteRowIDs(d)
	}
	return a, nil
}

// rowIDMark is the content of row tracking's domain.
type rowIDMark struct {
	High int64 `json:"rowIdHighWaterMark"`
}

func (a *attempt) noteRowIDs(d Domain) error {
	mark := rowIDMark{High: noRowIDs}
	if err := json.Unmarshal([]byte(d.Configuration), &mark); err != nil {
		return fmt.Errorf("domain %s: %w", d.Name, err)
	}
	a.rowIDs = max(a.rowIDs, mark.High)
	return nil
}

// after is the attempt that follows another's commit.
func (a attempt) after(winner []action) (attempt, error) {
	a.version++
	a.inCommitTime = 0
	for _, w := range winner {
		switch {
		case w.CommitInfo != nil:
			a.inCommitTime = w.CommitInfo.InCommitTimestamp
		case w.Domain != nil && w.Domain.Name == rowTrackingDomain:
			if err := a.noteRowIDs(*w.Domain); err != nil {
				return attempt{}, fmt.Errorf("version %d: %w", a.version-1, err)
			}
		}
	}
	return a, nil
}

// encode writes the change as the text of a commit: provenance first, as in-commit
// timestamps want it, then files in, files out and the domains that move on.
func (c Change) encode(read Snapshot, a attempt) ([]byte, error) {
	info, err := c.commitInfo(read, a)
	if err != nil {
		return nil, err
	}
	adds, domains, err := c.added(read, a)
	if err != nil {
		return nil, err
	}
	actions := []action{{CommitInfo: info}}
	if c.Metadata != nil {
		actions = append(actions, action{Metadata: c.Metadata.written()})
	}
	for i := range adds {
		actions = append(actions, action{Add: &adds[i]})
	}
	for _, f := range c.Remove {
		actions = append(actions, action{Remove: f.removed(c)})
	}
	for i := range domains {
		actions = append(actions, action{Domain: &domains[i]})
	}
	return encodeLines(actions)
}

// added are the files that come in, complete, and the domains that change with them.
func (c Change) added(read Snapshot, a attempt) ([]Add, []Domain, error) {
	keys := read.clusteringTag()
	files := slices.Clone(c.Add)
	for i := range files {
		f := &files[i]
		raw, err := encodePath(f.Path)
		if err != nil {
			return nil, nil, err
		}
		f.RawPath, f.DataChange, f.PartitionValues = raw, c.Alters != nil, noNull(f.PartitionValues)
		if keys != "" && f.Tags[cubeTag] == keys {
			f.ClusteringProvider = liquid
		}
	}
	var domains []Domain
	if c.Keys != nil {
		domains = append(domains, *c.Keys)
	}
	tracking, err := read.RowTracking()
	if err != nil || !tracking.Supported {
		return files, domains, err
	}
	domain, err := giveRowIDs(files, a)
	return files, append(domains, domain), err
}

// giveRowIDs gives each file as many row ids as it has rows, all of them new. Files that come
// back have theirs.
func giveRowIDs(files []Add, a attempt) (Domain, error) {
	for i := range files {
		if files[i].BaseRowID != nil && files[i].DefaultRowCommitVersion != nil {
			continue
		}
		rows, first, version := files[i].Live(), a.rowIDs+1, a.version
		if rows < 0 {
			return Domain{}, fmt.Errorf("file %q has no number of rows to give ids to", files[i].Path)
		}
		files[i].BaseRowID, files[i].DefaultRowCommitVersion = &first, &version
		a.rowIDs += rows
	}
	mark, err := json.Marshal(rowIDMark{a.rowIDs})
	return Domain{Name: rowTrackingDomain, Configuration: string(mark)}, err
}

// clusteringTag is what cube tags hold in files that are clustered by the table's own keys,
// "" in a table without any.
func (s Snapshot) clusteringTag() string {
	var names []string
	for _, path := range s.ClusteringKeys() {
		for i, name := range path {
			if strings.Contains(name, ".") {
				path[i] = "`" + name + "`"
			}
		}
		names = append(names, strings.Join(path, "."))
	}
	if len(names) == 0 {
		return ""
	}
	text, err := json.Marshal(names)
	if err != nil { // a list of strings always has JSON
		return ""
	}
	return string(text)
}

// commitInfo says what Spark says of an OPTIMIZE or a MERGE. SnapshotIsolation is the level of
// commits that change no rows; one that does and loses to whatever it would have read is
// Serializable, whatever less the table asks for.
func (c Change) commitInfo(read Snapshot, a attempt) (*commitInfo, error) {
	parameters := make(map[string]any, len(c.Parameters))
	for name, v := range c.Parameters {
		p, err := parameter(v)
		if err != nil {
			return nil, fmt.Errorf("encode commit: parameter %s: %w", name, err)
		}
		parameters[name] = p
	}
	tracking, err := read.RowTracking()
	if err != nil {
		return nil, err
	}
	blind := false
	info := &commitInfo{
		Timestamp: c.Time, Operation: c.Operation, OperationParameters: parameters,
		ReadVersion: &read.Version, IsolationLevel: c.isolation(), IsBlindAppend: &blind,
		OperationMetrics: c.Metrics, UserMetadata: c.UserMetadata, EngineInfo: c.EngineInfo, TxnID: c.TxnID,
	}
	if tracking.Supported {
		info.Tags = map[string]string{"delta.rowTracking.preserved": strconv.FormatBool(tracking.Enabled)}
	}
	if !read.inCommitTimes() {
		return info, nil
	}
	if a.inCommitTime == 0 {
		return nil, fmt.Errorf("version %d (%s) has no inCommitTimestamp, which the next version has to be later than",
			a.version-1, commitKey(a.version-1))
	}
	info.InCommitTimestamp = max(c.Time, a.inCommitTime+1)
	return info, nil
}

func (c Change) isolation() string {
	if c.Alters != nil {
		return "Serializable"
	}
	return "SnapshotIsolation"
}

// inCommitTimes reports whether each commit has to hold its own time.
func (s Snapshot) inCommitTimes() bool {
	return slices.Contains(s.Protocol.WriterFeatures, inCommitFeature) && strings.EqualFold(s.Metadata.Configuration[inCommitKey], "true")
}

// checkRowIDs refuses a rewrite that would lose the ids of rows.
func (c Change) checkRowIDs(read Snapshot) error {
	tracking, err := read.RowTracking()
	if err != nil || !tracking.Enabled {
		return err
	}
	for _, f := range c.Remove {
		if f.BaseRowID == nil || f.DefaultRowCommitVersion == nil {
			return fmt.Errorf("file %q has no row ids, though row tracking is on", f.Path)
		}
	}
	return nil
}

// errClock is of a clock that cannot be believed.
var errClock = errors.New("the clock is behind the table's history")

// clockTolerance is how far the clocks of two writers may be apart. What is removed carries
// its time, and VACUUM deletes what was removed long enough ago: hours do not matter there,
// days would take files from readers.
const clockTolerance = 3_600_000 // ms

func (c Change) checkClock(read Snapshot) error { return CheckClock(read, time.UnixMilli(c.Time)) }

// CheckClock refuses a clock by which the last version was written hours from now: Commit would.
func CheckClock(read Snapshot, now time.Time) error {
	if read.Time.UnixMilli()-now.UnixMilli() > clockTolerance {
		return fmt.Errorf("%w: it is %s here, and version %d (%s) was written at %s; set the clock of whichever is wrong",
			errClock, now.UTC().Format(time.RFC3339), read.Version, commitKey(read.Version), read.Time.UTC().Format(time.RFC3339))
	}
	return nil
}
