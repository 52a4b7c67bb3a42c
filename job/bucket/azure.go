package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	portable "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// dialAzure opens a container of Azure's Blob Storage. Who asks, and where, is found as Go CDK does
// it: an account (AZURE_STORAGE_ACCOUNT) with its key (AZURE_STORAGE_KEY), a shared access signature
// (AZURE_STORAGE_SAS_TOKEN), a connection string (AZURE_STORAGE_CONNECTION_STRING), else the chain of
// Azure's SDK: a service principal, a workload's or a machine's identity, the command line's log-in.
func dialAzure(name string) (*portable.Bucket, error) {
	client, err := azureClient(name)
	if err != nil {
		return nil, fmt.Errorf("find the credentials of Azure's storage: %w", err)
	}
	return portable.NewBucket(azure{client}), nil
}

func azureClient(name string) (*container.Client, error) {
	// A connection string says itself where its account is: an emulator on this machine, a private
	// endpoint, another cloud. Go CDK takes it for one of the public ones.
	own := os.Getenv("AZURE_STORAGE_KEY") != "" && os.Getenv("AZURE_STORAGE_ACCOUNT") != "" || os.Getenv("AZURE_STORAGE_SAS_TOKEN") != ""
	if text := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); text != "" && !own {
		return container.NewClientFromConnectionString(text, name, nil)
	}
	options := azureblob.NewDefaultServiceURLOptions()
	if options.AccountName == "" {
		return nil, errors.New("no account is named: set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING")
	}
	options.SASToken = strings.TrimPrefix(options.SASToken, "?") // which the portal shows
	at, err := azureblob.NewServiceURL(options)
	if err != nil {
		return nil, err
	}
	return azureblob.NewDefaultClient(at, azureblob.ContainerName(name))
}

// azure is a container as package blob drives it. Go CDK's own driver spells % and other characters
// of keys in a way of its own, so that Spark would not find what ajlo writes, nor ajlo what Spark
// wrote, in partitions whose names have such characters.
type azure struct{ client *container.Client }

const (
	azurePage        = 5000    // names in one answer, the most that Azure gives
	azureBlock       = 8 << 20 // bytes of a part that is sent by itself
	azureConcurrency = 4       // parts on their way at once, each in memory
)

func (a azure) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	found, err := a.client.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return nil, err
	}
	as := func(target any) bool {
		properties, ok := target.(*blob.GetPropertiesResponse)
		if ok {
			*properties = found
		}
		return ok
	}
	return &driver.Attributes{Size: valueOf(found.ContentLength), ModTime: valueOf(found.LastModified), AsFunc: as}, nil
}

// ListPaged leaves out the folders that accounts with a hierarchical namespace list as blobs.
func (a azure) ListPaged(ctx context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	if o.Delimiter != "" {
		return nil, errors.New("azure: folders are not listed")
	}
	size := int32(cmp.Or(o.PageSize, azurePage))
	asked := container.ListBlobsFlatOptions{Prefix: &o.Prefix, MaxResults: &size}
	if len(o.PageToken) > 0 {
		marker := string(o.PageToken)
		asked.Marker = &marker
	}
	answer, err := a.client.NewListBlobsFlatPager(&asked).NextPage(ctx)
	if err != nil {
		return nil, err
	}
	page := &driver.ListPage{NextPageToken: []byte(valueOf(answer.NextMarker))}
	for _, item := range answer.Segment.BlobItems {
		if valueOf(item.Properties.ResourceType) == "directory" {
			continue
		}
		page.Objects = append(page.Objects, &driver.ListObject{
			Key: valueOf(item.Name), Size: valueOf(item.Properties.ContentLength), ModTime: valueOf(item.Properties.LastModified),
		})
	}
	return page, nil
}

func (a azure) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	asked := blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: offset, Count: max(length, 0)}} // a count of none is all the rest
	answer, err := a.client.NewBlobClient(key).DownloadStream(ctx, &asked)
	if err != nil {
		return nil, err
	}
	if length == 0 {
		err := answer.Body.Close()
		answer.Body = http.NoBody
		return azureReader{answer}, err
	}
	return azureReader{answer}, nil
}

type azureReader struct{ answer blob.DownloadStreamResponse }

func (r azureReader) Read(p []byte) (int, error) { return r.answer.Body.Read(p) }
func (r azureReader) Close() error               { return r.answer.Body.Close() }
func (r azureReader) As(any) bool                { return false }

func (r azureReader) Attributes() *driver.ReaderAttributes {
	return &driver.ReaderAttributes{Size: valueOf(r.answer.ContentLength), ModTime: valueOf(r.answer.LastModified)}
}

// NewTypedWriter sends what is written in parts; the blob appears when the writer is closed.
func (a azure) NewTypedWriter(ctx context.Context, key, contentType string, o *driver.WriterOptions) (driver.Writer, error) {
	asked := blockblob.UploadStreamOptions{BlockSize: azureBlock, Concurrency: azureConcurrency, HTTPHeaders: &blob.HTTPHeaders{BlobContentType: &contentType}}
	if o.IfNotExist {
		anything := azcore.ETagAny
		asked.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &anything}}
	}
	from, to := io.Pipe()
	w := azureWriter{to: to, sent: make(chan error, 1)}
	go func() {
		_, err := a.client.NewBlockBlobClient(key).UploadStream(ctx, from, &asked)
		_ = from.CloseWithError(err) // so that no Write waits for ever; it gives no error
		w.sent <- err
	}()
	return w, nil
}

type azureWriter struct {
	to   *io.PipeWriter
	sent chan error // how the upload ended
}

func (w azureWriter) Write(p []byte) (int, error) { return w.to.Write(p) }

func (w azureWriter) Close() error {
	_ = w.to.Close() // it gives no error
	return <-w.sent
}

func (a azure) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	_, err := a.client.NewBlobClient(key).Delete(ctx, nil)
	return err
}

// ErrorCode tells a taken key from other conflicts: a container that is being deleted, a blob that
// somebody holds a lease on.
func (a azure) ErrorCode(err error) gcerrors.ErrorCode {
	var answer *azcore.ResponseError
	var stranger *azidentity.AuthenticationFailedError
	switch {
	case errors.As(err, &stranger):
		return gcerrors.PermissionDenied
	case !errors.As(err, &answer):
		return gcerrors.Unknown
	case bloberror.HasCode(err, bloberror.BlobAlreadyExists, bloberror.ConditionNotMet):
		return gcerrors.AlreadyExists
	}
	switch answer.StatusCode {
	case http.StatusNotFound:
		return gcerrors.NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return gcerrors.PermissionDenied
	case http.StatusBadRequest:
		return gcerrors.InvalidArgument
	}
	return gcerrors.Unknown
}

func (a azure) As(any) bool             { return false }
func (a azure) ErrorAs(error, any) bool { return false }
func (a azure) Close() error            { return nil }

// errNotAsked is of what package blob can do and nothing here asks for.
var errNotAsked = errors.New("azure: not supported")

func (a azure) Copy(context.Context, string, string, *driver.CopyOptions) error { return errNotAsked }

func (a azure) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errNotAsked
}

// valueOf is what a field of an answer points to, or nothing.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
