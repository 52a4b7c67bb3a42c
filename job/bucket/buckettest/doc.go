// Package buckettest starts a real S3 server for tests, under the build tag s3.
// AJLO_S3_SERVER names its program, a versitygw, which scripts/test puts into .cache/bin.
package buckettest
