package config

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Faults are shown where they stand, and whoever reads that learns no secret.
func TestFaultsShowNoSecret(t *testing.T) {
	for _, line := range []string{
		`  logs: "https://me:HUSH@host/logs?sig=HUSH"`,
		`sources: [{logs: "azblob://c/x?se=2026&sig=HUSH", zone: UTC}]`,
		`lake: {catalogs: [{kind: unity, uri: "https://me:HUSH@host", token: HUSH}]}`,
		`  openlineage_token: 'HUSH'`,
		"  webhook: https://hooks.example/HUSH",
	} {
		got := masked(line)
		if strings.Contains(got, "HUSH") || utf8.RuneCountInString(got) != utf8.RuneCountInString(line) {
			t.Errorf("%s\nis shown as\n%s", line, got)
		}
	}
	for _, line := range []string{"token: env:CATALOG_TOKEN", "logs: s3://bucket/logs", "write: [sales.orders]", "path_map: {/a: /b}"} {
		if got := masked(line); got != line {
			t.Errorf("%s is shown as %s", line, got)
		}
	}
}

func TestPlacesHoldNoSecret(t *testing.T) {
	for location, public := range map[string]bool{
		"s3://bucket/logs": true, "abfss://container@account.dfs.core.windows.net/logs": true, "/data/what?": true, "hdfs://name:8020/logs": true,
		"https://me:hush@host/logs": false, "azblob://c/x?sig=hush": false,
	} {
		if err := CheckPublic(location); (err == nil) != public || err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", location, err)
		}
	}
}
