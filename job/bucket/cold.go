package bucket

import (
	"errors"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	cloud "gocloud.dev/blob"
)

// isCold reports whether an object has to be restored before its bytes can be read: the archives of S3
// and Azure. Google's is read at once.
func isCold(a *cloud.Attributes) bool {
	var amazon s3.HeadObjectOutput
	var azure blob.GetPropertiesResponse
	switch {
	case a.As(&amazon):
		return isColdOnAmazon(amazon)
	case a.As(&azure):
		return valueOf(azure.AccessTier) == string(blob.AccessTierArchive)
	}
	return false
}

// isColdOnAmazon goes by the storage class, and for what was restored for some days by the header that
// says so: ongoing-request="false", expiry-date="…".
func isColdOnAmazon(head s3.HeadObjectOutput) bool {
	archived := head.StorageClass == types.StorageClassGlacier || head.StorageClass == types.StorageClassDeepArchive
	if head.Restore != nil && strings.Contains(*head.Restore, `ongoing-request="false"`) {
		return false
	}
	return archived || head.ArchiveStatus != "" // the latter in Intelligent-Tiering
}

// saysCold reports whether a storage refused to read an object for that reason.
func saysCold(err error) bool {
	var api smithy.APIError
	return bloberror.HasCode(err, bloberror.BlobArchived) || errors.As(err, &api) && api.ErrorCode() == "InvalidObjectState"
}
