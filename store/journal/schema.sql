-- The journal, version 1. Times are microseconds since 1970, 0 when they have
-- not come. Header columns are JSON lists of [name, value] whose characters are
-- the octets received; usage columns are JSON objects.

-- One row for each life of a process.
CREATE TABLE instances (
  id INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  stopped_at INTEGER -- NULL while it runs, 0 when it died
) STRICT;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- A scope and key, with the newest events over all its generations.
CREATE TABLE identities (
  id INTEGER PRIMARY KEY,
  request_key TEXT NOT NULL,
  scope TEXT NOT NULL,
  newest_event TEXT NOT NULL,
  after_event TEXT NOT NULL,
  UNIQUE (request_key, scope)
) STRICT;

-- Request bodies by content: the generations of a request share one.
CREATE TABLE bodies (
  sha256 BLOB PRIMARY KEY CHECK (length(sha256) = 32),
  body BLOB NOT NULL
) STRICT;

CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  identity_id INTEGER NOT NULL REFERENCES identities (id),
  generation INTEGER NOT NULL,
  duplicate_of INTEGER NOT NULL, -- 0, or an earlier row, which may be gone
  request_key TEXT NOT NULL,     -- as in identities: a list by key is read in order of id
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  route TEXT NOT NULL,
  origin TEXT NOT NULL,
  method TEXT NOT NULL,
  target TEXT NOT NULL,
  dialect TEXT NOT NULL,
  api TEXT NOT NULL,
  model TEXT NOT NULL,
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  header TEXT NOT NULL,
  credential TEXT NOT NULL,
  body_sha256 BLOB NOT NULL REFERENCES bodies (sha256),
  body_intact INTEGER NOT NULL CHECK (body_intact IN (0, 1)),
  preview TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  fence INTEGER NOT NULL, -- of the only attempt that may write
  owed INTEGER NOT NULL CHECK (owed IN (0, 1)),
  -- from here on: the fold of the row's events
  state TEXT NOT NULL,
  last_event TEXT NOT NULL,
  newest_event TEXT NOT NULL,
  after_event TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),
  risk INTEGER NOT NULL CHECK (risk BETWEEN 0 AND 3),
  prior_risk INTEGER NOT NULL CHECK (prior_risk BETWEEN 0 AND 3),
  tokens INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (identity_id, generation)
) STRICT;
CREATE INDEX requests_by_state ON requests (state, id);
CREATE INDEX requests_by_key ON requests (request_key, id, state); -- state: rows of another are passed over without reading them
CREATE INDEX requests_by_body ON requests (body_sha256);

-- One send of a row. Its beginning, SENT and HEADERS are in events.
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  request_id INTEGER NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  status INTEGER NOT NULL,
  header TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  usage TEXT NOT NULL,
  error TEXT NOT NULL,
  raw BLOB, -- what came, where it was not recorded piece by piece
  UNIQUE (request_id, n)
) STRICT;
CREATE INDEX attempts_open ON attempts (request_id) WHERE ended_at = 0;

-- What came of a body, piece by piece, in order of id.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_by_attempt ON chunks (attempt_id, id);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id INTEGER NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL, -- 0: of the row itself
  event TEXT NOT NULL,
  ts INTEGER NOT NULL,
  detail TEXT CHECK (detail IS NULL OR json_valid(detail))
) STRICT;
CREATE INDEX events_by_request ON events (request_id, seq);
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
BEGIN
  SELECT RAISE (ABORT, 'events are append-only');
END;
CREATE TRIGGER events_leave_with_their_row BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM requests WHERE id = OLD.request_id)
BEGIN
  SELECT RAISE (ABORT, 'events are append-only');
END;

-- The accepted answer of a row. A NULL body is the chunks of its attempt.
CREATE TABLE results (
  request_id INTEGER PRIMARY KEY REFERENCES requests (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  header TEXT NOT NULL,
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  body BLOB,
  usage TEXT NOT NULL,
  accepted_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER results_are_not_changed BEFORE UPDATE ON results
BEGIN
  SELECT RAISE (ABORT, 'an accepted result is never changed');
END;
