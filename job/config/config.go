package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Config is what one installation of ajlo is told: where to look, what it may change and how
// much that may cost.
type Config struct {
	Sources []Source `json:"sources"` // at least one
	Lake    Lake     `json:"lake"`
	// Write names the tables that may be rewritten; where it is empty a run ends as a dry run.
	Write  []Pattern `json:"write"`
	Budget Budget    `json:"budget"`
	Engine Engine    `json:"engine"`
	State  string    `json:"state"` // path of the SQLite file
	// Cache is the folder that keeps facts of logs that do not change any more; empty for none.
	Cache string `json:"cache"`
	// Window is how far back a run looks, at least a minute.
	Window time.Duration `json:"window_ns"`
	// Delta is the drift above which layouts are chosen anew, 0 to 1.
	Delta float64 `json:"delta"`
	// Horizon is the number of windows over which a layout is expected to pay, at least 1.
	Horizon int `json:"horizon"`
	// Rate discounts what is saved in later windows, per window, 0 to below 1.
	Rate float64 `json:"rate"`
	// StorageWeight is what keeping a byte for a week costs in bytes read, 0 or more.
	StorageWeight float64 `json:"storage_weight"`
	// Margin is the share of its rewrite cost by which a change has to win, 0 or more.
	Margin float64 `json:"margin"`
	// MaxLoss is the part of its gains that a layout's losing query classes may lose together, 0
	// to 1.
	MaxLoss float64 `json:"max_loss"`
	// Prices turn bytes into money beside them; all zero where none are given.
	Prices Prices `json:"prices"`
	// Protect names classes of queries, by fingerprint or by the description their executions
	// carry, that may not be made to read notably more.
	Protect   []string  `json:"protect"`
	FirstSeen FirstSeen `json:"first_seen"`
	// FirstSeenShare is the part of the window's cost from which a new edge triggers alone,
	// above 0 to 1.
	FirstSeenShare float64 `json:"first_seen_share"`
	// LeastSeen is the part of what the last windows showed below which a window is not planned
	// by, 0 to 1.
	LeastSeen float64   `json:"least_seen"`
	Estimator Estimator `json:"estimator"`
	Sample    Sample    `json:"sample"`
	Choice    Choice    `json:"choice"`
	Allow     Allow     `json:"allow"`
	Commit    Commit    `json:"commit"`
	// Approval says whether a person has to approve a plan before its steps run.
	Approval Approval `json:"approval"`
	// Quiet are hours in which no rewrite begins.
	Quiet []Quiet `json:"quiet"`
	// Signals say who is told what runs do.
	Signals Signals `json:"signals"`
}

// Signals are places that are told; empty ones are not. None of them can fail a run.
type Signals struct {
	// Lake is what this lake is called there.
	Lake string `json:"lake"`
	// Prometheus is a file for the textfile collector of node exporter.
	Prometheus string `json:"prometheus"`
	// OpenLineage is a file, or the URL that events are posted to with the token, where there is one.
	OpenLineage string `json:"openlineage"`
	Token       Secret `json:"openlineage_token"`
	Webhook     Secret `json:"webhook"`
	// Limit is the most that one of them is waited for.
	Limit time.Duration `json:"limit_ns"`
}

// Secret is a text that is nowhere printed: "env:NAME" for the value of a variable of the
// environment, or the text itself.
type Secret string

// Read gives the text; it is an error where the variable is not set.
func (s Secret) Read(getenv func(string) string) (string, error) {
	name, fromEnv := strings.CutPrefix(string(s), "env:")
	if !fromEnv {
		return string(s), nil
	}
	text := getenv(name)
	if text == "" {
		return "", fmt.Errorf("the environment has no %s, which the config names for a secret: set it, or take what it is for out of the config", name)
	}
	return text, nil
}

// String hides it.
func (s Secret) String() string {
	if s == "" || strings.HasPrefix(string(s), "env:") {
		return string(s)
	}
	return "…"
}

// Source is one place that holds event logs.
type Source struct {
	Logs string `json:"logs"` // absolute path or URL of a folder
	// PathMap leads from the start of a location as the logs spell it ("/lake/warehouse",
	// "dbfs:/mnt/x") to where ajlo finds it.
	PathMap map[string]string `json:"path_map"`
	// Reader is the engine that wrote the logs: it decides what is left unread.
	Reader prune.Reader `json:"reader"`
	// Longest is how long an application runs at most; 0 where nobody says. Of logs in object
	// storage whose names tell an earlier start not even the names are read.
	Longest time.Duration `json:"longest_ns"`
}

// Stored reports whether the logs are in object storage and not in a folder of this machine.
func (s Source) Stored() bool { return strings.Contains(s.Logs, "://") }

// Lake says how tables are found and named.
type Lake struct {
	Roots   []string `json:"roots"` // folders that hold db.db/table or db/table
	Tables  []Table  `json:"tables"`
	Address Address  `json:"address"`
	// Catalogs are asked over the network for tables that nothing else places, in this order.
	Catalogs []Catalog `json:"catalogs"`
}

// Catalog is one over the network.
type Catalog struct {
	Kind CatalogKind `json:"kind"`
	// URI is the address of its server, thrift://host:port of a Hive Metastore; of Glue "" for the
	// region's own.
	URI string `json:"uri"`
	// Name is the first part of its tables' names in logs; "" where they have two parts, or where any
	// catalog of a Unity server is meant.
	Name string `json:"name"`
	// Warehouse is what an Iceberg server is asked for, or the id of Glue's catalog; "" for its own.
	Warehouse string `json:"warehouse"`
	// Token (of Iceberg and Unity), or a Credential for OAuth (of Iceberg), is how it is entered.
	Token      Secret `json:"token"`
	Credential Secret `json:"credential"`
}

// Table places one table by hand.
type Table struct {
	Name     table.Name     `json:"name"`
	Location table.Location `json:"location"`
}

// Budget is what one run may spend at most; all are hard (rule 2).
type Budget struct {
	Rewrite unit.Bytes `json:"rewrite"` // bytes of the files that rekeys remove
	Upkeep  unit.Bytes `json:"upkeep"`  // bytes of the files that upkeep removes; 0 for no upkeep
	Storage unit.Bytes `json:"storage"` // bytes kept twice until VACUUM
}

// Prices are in the currency, for a terabyte (10^12 bytes), 0 where not given.
type Prices struct {
	Currency     string  `json:"currency"`
	ScanTB       float64 `json:"scan_tb"`
	RewriteTB    float64 `json:"rewrite_tb"`
	StorageMonth float64 `json:"storage_tb_month"`
}

// Engine is what carries out the steps.
type Engine struct {
	Kind           EngineKind `json:"kind"`
	Memory         unit.Bytes `json:"memory"` // about the most that a rewrite may hold
	Spill          string     `json:"spill"`  // folder for rows that do not fit
	TargetFileSize unit.Bytes `json:"target_file_size"`
	// Command is the program of spark-sql with its first arguments, for the engine SparkSQL.
	Command []string `json:"command"`
	// URL is that of the server, sc://host:port, for the engine Connect.
	URL string `json:"url,omitempty"`
	// Token goes with each request to that server, by TLS.
	Token Secret `json:"token,omitempty"`
	// Conf are settings that Spark is given beside its own.
	Conf map[string]string `json:"conf"`
	// TimeLimit is how long a step may take on Spark.
	TimeLimit time.Duration `json:"time_limit_ns"`
	// Dialect is that of the script, for the engine Script.
	Dialect Dialect `json:"dialect"`
}

// Allow opens one-way doors (rule 5).
type Allow struct {
	ProtocolUpgrade bool `json:"protocol_upgrade"`
	// Repartition lets the embedded engine change tables' partition columns.
	Repartition bool `json:"repartition,omitempty"`
}

// MayWrite reports whether the table is one of those under `write:`, by its name or by its
// place.
func (c Config) MayWrite(name table.Name, at table.Location) bool {
	for _, p := range c.Write {
		if p.matches(name, at) {
			return true
		}
	}
	return false
}

// Hash is the SHA-256 of the configuration in hexadecimal. It does not depend on the order,
// the spelling or the comments of the file; a default written out changes nothing.
func (c Config) Hash() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("config: hash: %v", err)) // no value of Config fails to encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Pattern is one entry under `write:`: a table's name ("tpch.orders"), all tables of a
// database ("tpch.*"), or an absolute location.
type Pattern string

func (p Pattern) matches(name table.Name, at table.Location) bool {
	if p.isLocation() {
		return string(p) == string(at)
	}
	database, all := strings.CutSuffix(string(p), ".*")
	if !all {
		return string(p) == string(name)
	}
	rest, ok := strings.CutPrefix(string(name), database+".")
	return ok && rest != "" && !strings.Contains(rest, ".")
}

// Location is the place that the entry names; ok is false for a name.
func (p Pattern) Location() (at table.Location, ok bool) { return table.Location(p), p.isLocation() }

// Database is the database all of whose tables the entry names; empty for any other.
func (p Pattern) Database() string {
	if database, all := strings.CutSuffix(string(p), ".*"); all && !p.isLocation() {
		return database
	}
	return ""
}

func (p Pattern) isLocation() bool { return strings.Contains(string(p), "/") }
