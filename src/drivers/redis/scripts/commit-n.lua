--[[
  Commits a batch: states, due entries, pending verdicts, applied offsets and stream time of one shard, together or not at all.
  Lua does not roll back, so every check and every read comes before the first write.

  KEYS[1]  owner (hash: token, sequence, next_verdict, stream_time, digest)
  KEYS[2]  offsets (hash: topic -> offset after the last applied one)
  KEYS[3]  evaluations (sorted set: payment key by when it must be evaluated)
  KEYS[4]  reads (sorted set: payment key by when its first read may be claimed)
  KEYS[5]  read-entries (hash: payment key -> lines of entries, see read-entry.ts)
  KEYS[6]  verdicts (list: pending, oldest first, each "sequence\n...")
  KEYS[7]  unresolved (sorted set: payment key by when its oldest PENDING operation began)
  KEYS[8...]  the state of each payment written (string); the payment key is what follows the first ARGV[6] bytes

  ARGV[1]  token the owner holds
  ARGV[2]  sequence the owner believes in
  ARGV[3]  sequence number of the first new verdict
  ARGV[4]  stream time, milliseconds
  ARGV[5]  digest of this commit, by which a re-sent one is known
  ARGV[6]  length of a state key before the payment key, bytes
  ARGV[7]  the batch as packed texts (packed-texts.ts), in this order:
             number of topics; for each: topic, applied offset before, applied offset after
             number of verdicts; for each: the text to store
             for each state: value, milliseconds to live ("0": drop the payment, "": for good), evaluate at ("": not),
               read entries ("": none), when the first of the reads is due ("": none), unresolved since ("": it is not)

  Returns
    "committed"  all of it is written
    "already"    this very commit was written by an earlier call
    "fenced"     another owner took the shard after us
    "rewound"    the server lost writes that we have seen: our claim, a commit, or offsets
]]
local CHUNK = 7000 -- unpack takes at most 7,999 values
local FIXED = 7

local batch, position = ARGV[7], 1
local function take()
  local text
  text, position = struct.unpack('<I4c0', batch, position)
  return text
end

local function number(token) return tonumber(string.match(token or '', '^(%d+):') or '0') end

-- Checks.
local stored = redis.call('HMGET', KEYS[1], 'token', 'sequence', 'next_verdict', 'stream_time', 'digest')
if stored[1] ~= ARGV[1] then
  if number(stored[1]) < number(ARGV[1]) then return 'rewound' end
  return 'fenced'
end
local sequence = tonumber(stored[2] or '0')
if sequence == tonumber(ARGV[2]) + 1 and stored[5] == ARGV[5] then return 'already' end
if sequence ~= tonumber(ARGV[2]) or tonumber(ARGV[3]) < tonumber(stored[3] or '1') then return 'rewound' end

local topics = tonumber(take())
local offsets = {}
for _ = 1, topics do
  local topic, before, after = take(), take(), take()
  if (redis.call('HGET', KEYS[2], topic) or '0') ~= before then return 'rewound' end
  offsets[#offsets + 1] = topic
  offsets[#offsets + 1] = after
end
-- A topic that the owner does not know of.
for _, topic in ipairs(redis.call('HKEYS', KEYS[2])) do
  local known = false
  for i = 1, #offsets, 2 do known = known or offsets[i] == topic end
  if not known then return 'rewound' end
end

local verdicts = {}
for i = 1, tonumber(take()) do verdicts[i] = take() end

-- A read that is stated again just as it was keeps its lease; one that is done stays held back until its lease would have
-- ended. Returns the lines to store and when the first may be claimed.
local function restated(held, wanted)
  local kept = {}
  for line in string.gmatch(held, '[^\n]+') do
    local due, heldUntil, hold, lease, read = string.match(line, '^(%d+) (%d+) (%a) (%S+) (.*)$')
    if heldUntil ~= '0' then kept[due .. ' ' .. read] = { heldUntil, hold == 'd' and 'f' or hold, lease } end
  end
  local lines, first = {}, nil
  for line in string.gmatch(wanted, '[^\n]+') do
    local due, read = string.match(line, '^(%d+) %d+ %a %S+ (.*)$')
    local at, keep = tonumber(due), kept[due .. ' ' .. read]
    if keep then
      line = due .. ' ' .. keep[1] .. ' ' .. keep[2] .. ' ' .. keep[3] .. ' ' .. read
      at = math.max(at, tonumber(keep[1]))
    end
    lines[#lines + 1] = line
    if not first or at < first then first = at end
  end
  return table.concat(lines, '\n'), string.format('%.0f', first)
end

local states, ttls, dropped = {}, {}, {}
local evaluate, evaluateNot = {}, {}
local wanting, entries, firsts, readNot = {}, {}, {}, {}
local unresolved, resolved = {}, {}
local prefix = tonumber(ARGV[6])
for i = FIXED + 1, #KEYS do
  local value, ttl, evaluateAt, lines, first, since = take(), take(), take(), take(), take(), take()
  local payment = string.sub(KEYS[i], prefix + 1)
  if ttl == '0' then
    dropped[#dropped + 1] = KEYS[i]
    evaluateAt, lines, since = '', '', ''
  else
    states[#states + 1] = i
    states[#states + 1] = value
    states[#states + 1] = ttl
  end
  if evaluateAt == '' then
    evaluateNot[#evaluateNot + 1] = payment
  else
    evaluate[#evaluate + 1] = evaluateAt
    evaluate[#evaluate + 1] = payment
  end
  if since == '' then
    resolved[#resolved + 1] = payment
  else
    unresolved[#unresolved + 1] = since
    unresolved[#unresolved + 1] = payment
  end
  if lines == '' then
    readNot[#readNot + 1] = payment
  else
    wanting[#wanting + 1] = payment
    entries[#entries + 1] = lines
    firsts[#firsts + 1] = first
  end
end

local function chunked(command, key, values)
  for from = 1, #values, CHUNK do
    redis.call(command, key, unpack(values, from, math.min(from + CHUNK - 1, #values)))
  end
end

local entryFields, readScores = {}, {}
for from = 1, #wanting, CHUNK do
  local upTo = math.min(from + CHUNK - 1, #wanting)
  local held = redis.call('HMGET', KEYS[5], unpack(wanting, from, upTo))
  for i = from, upTo do
    local before = held[i - from + 1]
    -- Only an entry that was claimed once has something to keep.
    if before and before ~= entries[i] then entries[i], firsts[i] = restated(before, entries[i]) end
    entryFields[#entryFields + 1] = wanting[i]
    entryFields[#entryFields + 1] = entries[i]
    readScores[#readScores + 1] = firsts[i]
    readScores[#readScores + 1] = wanting[i]
  end
end

-- Writes.
local streamTime = ARGV[4]
if stored[4] and tonumber(stored[4]) > tonumber(streamTime) then streamTime = stored[4] end
redis.call('HSET', KEYS[1], 'sequence', string.format('%.0f', sequence + 1),
  'next_verdict', string.format('%.0f', tonumber(ARGV[3]) + #verdicts), 'stream_time', streamTime, 'digest', ARGV[5])
chunked('HSET', KEYS[2], offsets)
for i = 1, #states, 3 do
  local key, value, ttl = KEYS[states[i]], states[i + 1], states[i + 2]
  if ttl == '' then redis.call('SET', key, value) else redis.call('SET', key, value, 'PX', ttl) end
end
for _, key in ipairs(dropped) do redis.call('DEL', key) end
chunked('ZADD', KEYS[3], evaluate)
chunked('ZREM', KEYS[3], evaluateNot)
chunked('HSET', KEYS[5], entryFields)
chunked('HDEL', KEYS[5], readNot)
chunked('ZADD', KEYS[4], readScores)
chunked('ZREM', KEYS[4], readNot)
chunked('ZADD', KEYS[7], unresolved)
chunked('ZREM', KEYS[7], resolved)
chunked('RPUSH', KEYS[6], verdicts)
return 'committed'
