//go:build s3

package buckettest

import (
	"encoding/base64"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
)

// The emulator's only account.
const account = "ajlotest"

var accountKey = base64.StdEncoding.EncodeToString([]byte("the key of the account ajlotest, of this machine alone"))

// StartAzure starts Azurite, an emulator of Azure's storage that ends with the test, with one empty
// container, and sets the environment that clients of this process go by.
func StartAzure(t testing.TB) Server {
	t.Helper()
	folder := os.Getenv("AJLO_AZURITE")
	if folder == "" {
		t.Fatal("buckettest: AJLO_AZURITE names no emulator of Azure's storage: scripts/test sets it")
	}
	at := freeAddress(t)
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("AZURITE_ACCOUNTS", account+":"+accountKey)
	// An SDK may speak a newer version of the protocol than the emulator knows by name.
	launch(t, "http://"+at, "node", filepath.Join(folder, "node_modules/azurite/dist/src/blob/main.js"),
		"--blobHost", host, "--blobPort", port, "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--silent")
	s := Server{Bucket: "azblob://lake", Endpoint: "http://" + at + "/" + account}
	s.Environment = []string{
		"AZURE_STORAGE_CONNECTION_STRING=DefaultEndpointsProtocol=http;AccountName=" + account + ";AccountKey=" + accountKey + ";BlobEndpoint=" + s.Endpoint + ";",
	}
	s.enter(t)
	client, err := container.NewClientFromConnectionString(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), "lake", nil)
	if err == nil {
		_, err = client.Create(t.Context(), nil)
	}
	if err != nil {
		t.Fatalf("buckettest: make a container: %v", err)
	}
	return s
}

// Signature gives a shared access signature of the emulator's container for what is permitted until
// then.
func Signature(t testing.TB, permitted sas.ContainerPermissions, until time.Time) string {
	t.Helper()
	key, err := azblob.NewSharedKeyCredential(account, accountKey)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := sas.BlobSignatureValues{
		Protocol: sas.ProtocolHTTPSandHTTP, ContainerName: "lake", Permissions: permitted.String(),
		StartTime: until.AddDate(-1, 0, 0), ExpiryTime: until,
	}.SignWithSharedKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed.Encode()
}
