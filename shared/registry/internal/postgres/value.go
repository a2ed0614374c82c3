package postgres

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// parameters writes arguments as the protocol sends them: texts, and bytes as they are.
// The server finds out the types.
func parameters(args []driver.NamedValue) (values [][]byte, formats []int16, err error) {
	values, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		switch v := a.Value.(type) {
		case nil:
		case int64:
			values[i] = strconv.AppendInt(nil, v, 10)
		case float64:
			values[i] = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case bool:
			values[i] = []byte{'0'}
			if v {
				values[i] = []byte{'1'}
			}
		case string:
			values[i] = []byte(Escape(v))
		case []byte:
			values[i], formats[i] = v, binaryFormat
			if v == nil {
				values[i] = []byte{}
			}
		default:
			return nil, nil, fmt.Errorf("parameter %d has the type %T", a.Ordinal, v)
		}
	}
	return values, formats, nil
}

// binaryFormat is that of a value which is not written as text.
const binaryFormat = 1

// Object identifiers of the types that the registry's queries return, from the catalogue
// pg_type.
const (
	oidBool    = 16
	oidBytes   = 17
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidOID     = 26
	oidFloat4  = 700
	oidFloat8  = 701
	oidNumeric = 1700
)

// value reads a column as SQLite's driver returns it: booleans as 1 and 0, and whole numbers as integers, also where a sum made them
// numeric.
func value(raw []byte, oid uint32) (driver.Value, error) {
	if raw == nil {
		return nil, nil
	}
	switch oid {
	case oidInt8, oidInt4, oidInt2, oidOID:
		return strconv.ParseInt(string(raw), 10, 64)
	case oidBool:
		if string(raw) == "t" {
			return int64(1), nil
		}
		return int64(0), nil
	case oidFloat8, oidFloat4:
		return strconv.ParseFloat(string(raw), 64)
	case oidNumeric:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return n, nil
		}
		return strconv.ParseFloat(string(raw), 64)
	case oidBytes:
		return hex.DecodeString(strings.TrimPrefix(string(raw), `\x`))
	}
	return Unescape(string(raw)), nil
}
