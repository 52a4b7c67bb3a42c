package eventlog

import "testing"

func TestSQLOfMessage(t *testing.T) {
	tests := []struct{ name, message, want string }{
		{"a query", "common {\n  plan_id: 7\n}\nsql {\n  query: \"select 1\"\n}\n", "select 1"},
		{"a command", "sql_command {\n  input {\n    common {\n      plan_id: 0\n    }\n    sql {\n      query: \"drop table t\"\n    }\n  }\n}\n", "drop table t"},
		{"a command of Connect 3.4", "sql_command {\n  sql: \"drop table t\"\n}\n", "drop table t"},
		{"a query over DataFrames", "with_relations {\n  root {\n    sql {\n      query: \"select * from {df}\"\n    }\n  }\n}\n", "select * from {df}"},
		{"escapes", `sql {` + "\n" + `  query: "select \'a\' \"b\"\n\t\\ \303\226"` + "\n}\n", "select 'a' \"b\"\n\t\\ Ö"},
		{"cut by Connect, which says so", "sql {\n  query: \"select 1[truncated(size=2000)]\"\n}\n", "select 1[truncated(size=2000)]"},
		{"cut inside", "sql {\n  query: \"select 1", "select 1"},
		{"cut inside an escape", "sql {\n  query: \"select 1\\", "select 1"},
		{"cut inside a rune", "sql {\n  query: \"select \\303", "select "},
		{"a DataFrame", "aggregate {\n  input {\n    read {\n    }\n  }\n}\n", ""},
		{"a DataFrame over a query", "filter {\n  input {\n    sql {\n      query: \"select 1\"\n    }\n  }\n}\n", ""},
		{"a query without a text", "sql {\n}\n", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sqlOfMessage(tt.message); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzSQLOfMessage(f *testing.F) {
	f.Add("sql {\n  query: \"select \\'a\\' \\303\\226\"\n}\n")
	f.Add("sql_command {\n  sql: \"x")
	f.Fuzz(func(t *testing.T, message string) {
		if sql := sqlOfMessage(message); len(sql) > len(message) {
			t.Errorf("%d bytes out of %d", len(sql), len(message))
		}
	})
}
