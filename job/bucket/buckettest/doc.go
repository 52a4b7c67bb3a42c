// Package buckettest starts servers of object storage for tests, under the build tag s3: a real S3
// server, and emulators of Google's and of Azure's storage. AJLO_S3_SERVER names a versitygw,
// AJLO_GCS_SERVER a fake-gcs-server, AJLO_AZURITE a folder with Azurite and AJLO_MOTO a venv with moto, all
// of which scripts/test puts into .cache.
package buckettest
