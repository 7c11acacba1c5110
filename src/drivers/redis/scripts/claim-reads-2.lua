--[[
  Leases reads that are due, soonest payment first.

  KEYS[1]  reads (sorted set: payment key by when its first read may be claimed)
  KEYS[2]  read-entries (hash: payment key -> lines of entries, see read-entry.ts)

  ARGV[1]  due at or before this, milliseconds
  ARGV[2]  until when the lease holds, milliseconds
  ARGV[3]  how many at most
  ARGV[4]  name of the lease, without blanks

  Returns { payment key, line, payment key, line, ... }, each line as it now is stored.
]]
local upTo, leaseUntil, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local claimed = {}

-- Leases what is due of one payment; returns its lines and when the next may be claimed (nil: none).
local function lease(payment, held)
  local lines, first = {}, nil
  for line in string.gmatch(held, '[^\n]+') do
    local due, heldUntil, hold, _, read = string.match(line, '^(%d+) (%d+) (%a) (%S+) (.*)$')
    local at = math.max(tonumber(due), tonumber(heldUntil))
    if hold ~= 'd' and at <= upTo and #claimed < 2 * limit then
      line = due .. ' ' .. ARGV[2] .. ' l ' .. ARGV[4] .. ' ' .. read
      at = math.max(tonumber(due), leaseUntil)
      claimed[#claimed + 1] = payment
      claimed[#claimed + 1] = line
    end
    lines[#lines + 1] = line
    if hold ~= 'd' and (not first or at < first) then first = at end
  end
  return table.concat(lines, '\n'), first
end

for _, payment in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, limit)) do
  if #claimed == 2 * limit then break end
  local held = redis.call('HGET', KEYS[2], payment)
  local lines, first = lease(payment, held or '')
  if lines ~= '' then redis.call('HSET', KEYS[2], payment, lines) end
  if first then
    redis.call('ZADD', KEYS[1], string.format('%.0f', first), payment)
  else
    redis.call('ZREM', KEYS[1], payment)
  end
end
return claimed
