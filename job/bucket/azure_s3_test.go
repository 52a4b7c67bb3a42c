//go:build s3

package bucket_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

// entered gives the environment a container's account and its signature, in place of the connection
// string.
func entered(t *testing.T, server buckettest.Server, signature string) {
	t.Helper()
	address, account, _ := strings.Cut(strings.TrimPrefix(server.Endpoint, "http://"), "/")
	for name, value := range map[string]string{
		"AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGE_ACCOUNT": account, "AZURE_STORAGE_SAS_TOKEN": signature,
		"AZURE_STORAGE_DOMAIN": address, "AZURE_STORAGE_PROTOCOL": "http", "AZURE_STORAGE_IS_LOCAL_EMULATOR": "true",
	} {
		t.Setenv(name, value)
	}
}

// Shared access signatures permit what they say and until when they say.
func TestAzureSignatures(t *testing.T) {
	server := buckettest.StartAzure(t)
	later, earlier := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	all := sas.ContainerPermissions{Read: true, List: true, Write: true, Create: true, Delete: true}

	entered(t, server, buckettest.Signature(t, all, later))
	s, err := bucket.Open(server.Bucket + "/t")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutIfAbsent(t.Context(), "taken", []byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := s.PutIfAbsent(t.Context(), "taken", []byte("z")); !errors.Is(err, object.ErrExists) {
		t.Errorf("put on a taken key: %v, want ErrExists", err)
	}

	entered(t, server, "?"+buckettest.Signature(t, sas.ContainerPermissions{Read: true, List: true}, later)) // as the portal shows it
	refuses(t, server.Bucket+"/t", "new", true)
	entered(t, server, buckettest.Signature(t, all, earlier))
	refuses(t, server.Bucket+"/t", "new", false)
	entered(t, server, "")
	t.Setenv("AZURE_STORAGE_KEY", "AAAA")
	refuses(t, server.Bucket+"/t", "new", false)
}

// A blob's name is its key, so that other writers and readers of the table find it.
func TestAzureNames(t *testing.T) {
	server := buckettest.StartAzure(t)
	s, err := bucket.Open(server.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`p=a%20b%253A0/part "1"#?.parquet`, "q=été/__0x25__"} {
		if err := s.PutIfAbsent(t.Context(), key, []byte("rows")); err != nil {
			t.Fatal(err)
		}
		if !named(t, server, key) {
			t.Errorf("there is no blob %q", key)
		}
		if data, err := s.ReadAll(t.Context(), key); err != nil || string(data) != "rows" || len(keys(t, s, key, "")) != 1 {
			t.Errorf("%s: %q, %v", key, data, err)
		}
	}
	if err := s.PutIfAbsent(t.Context(), `a\b`, nil); !errors.Is(err, object.ErrBadKey) {
		t.Errorf(`put of a\b: %v, want ErrBadKey`, err)
	}
}

// named asks the container itself.
func named(t *testing.T, server buckettest.Server, name string) bool {
	t.Helper()
	_, text, _ := strings.Cut(server.Environment[0], "=")
	client, err := container.NewClientFromConnectionString(text, "lake", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.NewBlobClient(name).GetProperties(t.Context(), nil)
	return err == nil
}
