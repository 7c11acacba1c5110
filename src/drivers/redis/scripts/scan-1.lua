--[[
  One step through the states of a shard. As a script it runs on the node that holds the shard, on a cluster as well.

  KEYS[1]  owner: routes the call to the shard's slot

  ARGV[1]  cursor, "0" at first
  ARGV[2]  glob of the shard's state keys
  ARGV[3]  how many keys of the node to look at

  Returns { next cursor ("0": the end), state key, value, state key, value, ... }.
]]
local step = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'string')
local result = { step[1] }
for _, key in ipairs(step[2]) do
  local value = redis.call('GET', key)
  if value then
    result[#result + 1] = key
    result[#result + 1] = value
  end
end
return result
