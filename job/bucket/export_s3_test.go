//go:build s3

package bucket

// DialAzure is for tests of how listings are parted.
var DialAzure = dialAzure
