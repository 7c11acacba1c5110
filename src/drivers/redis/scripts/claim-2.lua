--[[
  Takes a shard: writes a fresh owner token, so that the former owner's next commit is fenced.

  KEYS[1]  owner (hash: token, sequence, next_verdict, stream_time, digest)
  KEYS[2]  offsets (hash: topic -> offset after the last applied one)

  ARGV[1]  owner, unique for ever

  Returns { token, sequence, next_verdict, stream_time, topic, offset, topic, offset, ... }, all text.

  The token is n:owner. n is the larger of the stored one plus one and the server's time in microseconds: after a failover
  that lost this write, no later claim gets the same n or a lower one.
]]
local stored = redis.call('HMGET', KEYS[1], 'token', 'sequence', 'next_verdict', 'stream_time')
local offsets = redis.call('HGETALL', KEYS[2])

local time = redis.call('TIME')
local n = tonumber(time[1]) * 1000000 + tonumber(time[2])
local before = tonumber(string.match(stored[1] or '', '^(%d+):') or '0')
if before >= n then n = before + 1 end
local token = string.format('%.0f', n) .. ':' .. ARGV[1]

redis.call('HSET', KEYS[1], 'token', token)

local result = { token, stored[2] or '0', stored[3] or '1', stored[4] or '0' }
for i = 1, #offsets do result[#result + 1] = offsets[i] end
return result
