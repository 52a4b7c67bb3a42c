// Package config reads the configuration file of ajlo. In goes YAML; out comes a Config with
// every default filled in, every path absolute and every value checked, once: whoever holds a
// Config need not check it again. schema/config.json is the contract of the file, and a test
// holds the two together.
//
// It is strict: an unknown key, a key without a value, a wrong type, a second document or a
// missing rewrite budget (rule 2) is an *Error that shows the line with a caret under the
// fault and says what to do next. Environment variables are not expanded and no other file
// is read.
package config
