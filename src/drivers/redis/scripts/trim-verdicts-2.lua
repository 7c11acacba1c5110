--[[
  Drops the pending verdicts that are published.

  KEYS[1]  owner (hash: token, ...)
  KEYS[2]  verdicts (list: pending, oldest first, each "sequence\n...")

  ARGV[1]  token the owner holds
  ARGV[2]  sequence of the last verdict to drop

  Returns the number dropped; -1 where the token no longer owns the shard, and nothing was dropped.
]]
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return -1 end

local CHUNK = 500
local last = tonumber(ARGV[2])
local dropped = 0
while true do
  local pending = redis.call('LRANGE', KEYS[2], 0, CHUNK - 1)
  local count = 0
  for _, verdict in ipairs(pending) do
    if tonumber(string.match(verdict, '^(%d+)\n')) > last then break end
    count = count + 1
  end
  if count == 0 then return dropped end
  redis.call('LTRIM', KEYS[2], count, -1)
  dropped = dropped + count
  if count < CHUNK then return dropped end
end
