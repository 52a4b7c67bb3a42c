package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// action is one line of a commit, or one row of a checkpoint: exactly one field is set.
// Actions that a reader may pass over (cdc, those of later versions) set none. Sidecars and
// what a checkpoint says of itself count in checkpoints only.
type action struct {
	CommitInfo *commitInfo  `json:"commitInfo,omitempty"`
	Protocol   *Protocol    `json:"protocol,omitempty"`
	Metadata   *Metadata    `json:"metaData,omitempty"`
	Add        *Add         `json:"add,omitempty"`
	Remove     *Remove      `json:"remove,omitempty"`
	Txn        *Transaction `json:"txn,omitempty"`
	Domain     *Domain      `json:"domainMetadata,omitempty"`
	Sidecar    *sidecar     `json:"sidecar,omitempty"`
	Checkpoint *ownVersion  `json:"checkpointMetadata,omitempty"`
}

// commitInfo is the provenance of a commit. Field order is that of Spark's log.
type commitInfo struct {
	InCommitTimestamp   int64             `json:"inCommitTimestamp,omitempty"` // ms since the epoch
	Timestamp           int64             `json:"timestamp"`                   // ms since the epoch
	UserID              string            `json:"userId,omitempty"`
	Operation           string            `json:"operation"`
	OperationParameters map[string]any    `json:"operationParameters"`
	ReadVersion         *int64            `json:"readVersion,omitempty"`
	IsolationLevel      string            `json:"isolationLevel,omitempty"`
	IsBlindAppend       *bool             `json:"isBlindAppend,omitempty"`
	OperationMetrics    map[string]string `json:"operationMetrics,omitempty"`
	UserMetadata        string            `json:"userMetadata,omitempty"`
	Tags                map[string]string `json:"tags,omitempty"`
	EngineInfo          string            `json:"engineInfo,omitempty"`
	TxnID               string            `json:"txnId,omitempty"`
}

// provenance reads what ajlo needs of a commitInfo: fields of other writers may have any
// shape, and nothing in it is needed to read the table.
type provenance struct {
	Timestamp         json.Number `json:"timestamp"`
	InCommitTimestamp json.Number `json:"inCommitTimestamp"`
	TxnID             string      `json:"txnId"`
	// What should be a text or an object, unless another writer thinks otherwise:
	EngineInfo          any `json:"engineInfo"`
	Operation           any `json:"operation"`
	OperationParameters any `json:"operationParameters"`
	OperationMetrics    any `json:"operationMetrics"`
	UserMetadata        any `json:"userMetadata"`
}

// UnmarshalJSON never fails on a well-formed object.
func (c *commitInfo) UnmarshalJSON(data []byte) error {
	var p provenance
	if err := json.Unmarshal(data, &p); err != nil {
		return nil // a commitInfo of another shape tells nothing, and is no damage
	}
	c.TxnID = p.TxnID
	c.EngineInfo, _ = p.EngineInfo.(string)
	c.Operation, _ = p.Operation.(string)
	c.OperationParameters, _ = p.OperationParameters.(map[string]any)
	if metrics, ok := p.OperationMetrics.(map[string]any); ok {
		c.OperationMetrics = spelled(metrics)
	}
	c.UserMetadata, _ = p.UserMetadata.(string)
	c.Timestamp, _ = p.Timestamp.Int64()
	c.InCommitTimestamp, _ = p.InCommitTimestamp.Int64()
	return nil
}

// decodeLine reads one line of a commit.
func decodeLine(line []byte) (action, error) {
	var a action
	if len(line) == 0 || line[0] != '{' {
		return a, errors.New("not a JSON object")
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return action{}, err
	}
	return a, a.complete()
}

// complete checks an action and fills what is derived from its text.
func (a *action) complete() error {
	switch {
	case a.Add != nil && a.Add.RawPath == "":
		return errors.New("add without a path")
	case a.Remove != nil && a.Remove.RawPath == "":
		return errors.New("remove without a path")
	case a.Metadata != nil:
		return a.Metadata.complete()
	case a.Protocol != nil && (a.Protocol.MinReader < 1 || a.Protocol.MinWriter < 1):
		return errors.New("protocol without versions")
	case a.Domain != nil && a.Domain.Name == "":
		return errors.New("domainMetadata without a domain")
	}
	return nil
}

func (m *Metadata) complete() (err error) {
	m.Schema, err = ParseSchema(m.SchemaString)
	if m.Mapping() != MapNone {
		mapColumns(m.Schema)
	}
	return err
}

// decodeCommit reads a whole commit file. Every commit has at least one action, and the
// last line may end without a newline.
func decodeCommit(data []byte) ([]action, error) {
	var actions []action
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		a, err := decodeLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		actions = append(actions, a)
	}
	if len(actions) == 0 {
		return nil, errors.New("the file is empty")
	}
	return actions, checkSingle(actions)
}

// checkSingle refuses a commit in which two actions mean to decide the same thing; the
// protocol forbids it, and which one counts would be anyone's guess.
func checkSingle(actions []action) error {
	seen := make(map[string]bool, len(actions))
	for _, a := range actions {
		id := a.identity()
		if id == "" {
			continue
		}
		if seen[id] {
			return fmt.Errorf("two actions for %s", id)
		}
		seen[id] = true
	}
	return nil
}

// identity names what an action decides; empty for those that decide nothing.
func (a action) identity() string {
	switch {
	case a.Protocol != nil:
		return "protocol"
	case a.Metadata != nil:
		return "metaData"
	case a.Add != nil:
		return "file " + fileID(a.Add.RawPath, a.Add.DeletionVector)
	case a.Remove != nil:
		return "file " + fileID(a.Remove.RawPath, a.Remove.DeletionVector)
	case a.Txn != nil:
		return "txn " + a.Txn.AppID
	case a.Domain != nil:
		return "domain " + a.Domain.Name
	}
	return ""
}

// suffix tells one deletion vector of a file from another, as the protocol's uniqueId.
func (d *DeletionVector) suffix() string {
	if d == nil {
		return ""
	}
	id := " deletion vector " + d.StorageType + d.PathOrInlineDv
	if d.Offset != nil {
		id += fmt.Sprintf("@%d", *d.Offset)
	}
	return id
}
