package provider

import (
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
)

// UUID is the version 4 UUID that stands for a key: the key itself when it is
// one, else one made from it, always the same. Trackers that take ids from their
// callers get it, so that an attempt repeated is not a thing made twice.
func UUID(key string) string {
	if id, err := uuid.Parse(key); err == nil && id.Version() == 4 {
		return id.String()
	}
	sum := sha256.Sum256([]byte(key))
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
