package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"ajlo/job/unit"
)

// document is the file as it is written: every value is still text and knows its place, so
// that whatever is wrong with it can be shown there.
type document struct {
	Sources        []source `yaml:"sources"`
	Lake           lake     `yaml:"lake"`
	Write          []text   `yaml:"write"`
	Budget         budget   `yaml:"budget"`
	Engine         engine   `yaml:"engine"`
	State          text     `yaml:"state"`
	Cache          text     `yaml:"cache"`
	Window         text     `yaml:"window"`
	Delta          text     `yaml:"delta"`
	Horizon        text     `yaml:"horizon"`
	Rate           text     `yaml:"rate"`
	StorageWeight  text     `yaml:"storage_weight"`
	Margin         text     `yaml:"margin"`
	MaxLoss        text     `yaml:"max_loss"`
	Prices         prices   `yaml:"prices"`
	Protect        []text   `yaml:"protect"`
	FirstSeen      text     `yaml:"first_seen"`
	FirstSeenShare text     `yaml:"first_seen_share"`
	LeastSeen      text     `yaml:"least_seen"`
	Estimator      text     `yaml:"estimator"`
	Sample         text     `yaml:"sample"`
	Choice         text     `yaml:"choice"`
	Allow          allow    `yaml:"allow"`
	Commit         text     `yaml:"commit"`
	Approval       text     `yaml:"approval"`
	Quiet          []quiet  `yaml:"quiet"`
	Signals        signals  `yaml:"signals"`
}

type quiet struct {
	Tables []text `yaml:"tables"`
	From   text   `yaml:"from"`
	To     text   `yaml:"to"`
	Days   []text `yaml:"days"`
	Zone   text   `yaml:"zone"`
}

type signals struct {
	Lake        text `yaml:"lake"`
	Prometheus  text `yaml:"prometheus"`
	OpenLineage text `yaml:"openlineage"`
	Token       text `yaml:"openlineage_token"`
	Webhook     text `yaml:"webhook"`
	Limit       text `yaml:"time_limit"`
}

type source struct {
	Logs    text            `yaml:"logs"`
	PathMap map[string]text `yaml:"path_map"`
	Reader  text            `yaml:"reader"`
	Longest text            `yaml:"longest"`
}

type lake struct {
	Roots   []text  `yaml:"roots"`
	Tables  []place `yaml:"tables"`
	Address text    `yaml:"address"`

	Catalogs []remote `yaml:"catalogs"`
}

type remote struct {
	Kind       text `yaml:"kind"`
	URI        text `yaml:"uri"`
	Name       text `yaml:"name"`
	Warehouse  text `yaml:"warehouse"`
	Token      text `yaml:"token"`
	Credential text `yaml:"credential"`
}

type place struct {
	Name     text `yaml:"name"`
	Location text `yaml:"location"`
}

type budget struct {
	Rewrite text `yaml:"rewrite"`
	Upkeep  text `yaml:"upkeep"`
	Storage text `yaml:"storage"`
}

type prices struct {
	Currency text `yaml:"currency"`
	Scan     text `yaml:"scan_tb"`
	Rewrite  text `yaml:"rewrite_tb"`
	Storage  text `yaml:"storage_tb_month"`
}

type engine struct {
	Kind           text `yaml:"kind"`
	Memory         text `yaml:"memory"`
	Spill          text `yaml:"spill"`
	TargetFileSize text `yaml:"target_file_size"`

	Command   []text          `yaml:"command"`
	URL       text            `yaml:"url"`
	Token     text            `yaml:"token"`
	Conf      map[string]text `yaml:"conf"`
	TimeLimit text            `yaml:"time_limit"`
	Dialect   text            `yaml:"dialect"`
}

type allow struct {
	ProtocolUpgrade text `yaml:"protocol_upgrade"`
	Repartition     text `yaml:"repartition"`
}

// UsualFile is the size of new files where nothing is said of it: small enough that keys cut a table of
// a few GB.
const UsualFile = 64 * unit.MiB

// defaults is the document that an empty file stands for. The rewrite budget has no default
// (rule 2); the storage budget is that of the rewrite where it is not given.
func defaults() document {
	return document{
		Lake: lake{Address: preset("name")},
		Engine: engine{
			Kind:           preset("embedded"),
			Memory:         preset("384MB"),
			TargetFileSize: preset(fmt.Sprintf("%dMiB", UsualFile/unit.MiB)),
			Command:        []text{preset("spark-sql")},
			TimeLimit:      preset("6h"), // a night's
			Dialect:        preset(string(SparkDelta)),
		},
		Budget:         budget{Upkeep: preset("0B")},
		Prices:         prices{Currency: preset("USD"), Scan: preset("0"), Rewrite: preset("0"), Storage: preset("0")},
		State:          preset("ajlo.db"),
		Window:         preset("7d"),
		Delta:          preset("0.10"),
		Horizon:        preset("8"), // windows: two months of weeks
		Rate:           preset("0.02"),
		StorageWeight:  preset("0.1"),
		Margin:         preset("0.1"),
		MaxLoss:        preset("0.15"),
		FirstSeen:      preset("trigger"),
		FirstSeenShare: preset("0.05"),
		LeastSeen:      preset("0.7"),
		Estimator:      preset("what_if"),
		Sample:         preset("rows"),
		Choice:         preset("exact"),
		Commit:         preset("none"),
		Approval:       preset("none"),
		Signals:        signals{Lake: preset("lake"), Prometheus: preset("none"), OpenLineage: preset("none"), Token: preset("none"), Webhook: preset("none"), Limit: preset("10s")},
		Allow:          allow{ProtocolUpgrade: preset("false"), Repartition: preset("false")},
	}
}

// text is one scalar of the file.
type text struct {
	value string
	given bool
	at    *token.Token // nil for a default
}

func preset(value string) text { return text{value: value, given: true} }

// UnmarshalYAML keeps what the file says; lists and mappings are refused.
func (t *text) UnmarshalYAML(node ast.Node) error {
	if literal, ok := node.(*ast.LiteralNode); ok {
		*t = text{value: literal.Value.Value, given: true, at: literal.GetToken()}
		return nil
	}
	if _, ok := node.(ast.ScalarNode); !ok {
		return &Error{Message: misplaced(node.Type(), "single value"), at: node.GetToken(), Next: contract + " shows the form of each key"}
	}
	*t = text{value: node.GetToken().Value, given: true, at: node.GetToken()}
	return nil
}
