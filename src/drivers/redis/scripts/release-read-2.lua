--[[
  Gives the lease of one read back.

  KEYS[1]  reads (sorted set: payment key by when its first read may be claimed)
  KEYS[2]  read-entries (hash: payment key -> lines of entries, see read-entry.ts)

  ARGV[1]  payment key
  ARGV[2]  name of the lease
  ARGV[3]  the read, as the line ends with it
  ARGV[4]  when it is due again, milliseconds; "": it is done

  Returns 1; 0 where no read is held under that lease (it was replaced, or claimed by another), and nothing was changed.
]]
local held = redis.call('HGET', KEYS[2], ARGV[1])
if not held then return 0 end

local lines, first, released = {}, nil, 0
for line in string.gmatch(held, '[^\n]+') do
  local due, heldUntil, hold, lease, read = string.match(line, '^(%d+) (%d+) (%a) (%S+) (.*)$')
  if hold == 'l' and lease == ARGV[2] and read == ARGV[3] then
    released = 1
    if ARGV[4] == '' then
      hold = 'd'
    else
      hold, heldUntil = 'f', ARGV[4]
    end
    line = due .. ' ' .. heldUntil .. ' ' .. hold .. ' ' .. lease .. ' ' .. read
  end
  lines[#lines + 1] = line
  if hold ~= 'd' then
    local at = math.max(tonumber(due), tonumber(heldUntil))
    if not first or at < first then first = at end
  end
end
if released == 0 then return 0 end

redis.call('HSET', KEYS[2], ARGV[1], table.concat(lines, '\n'))
if first then
  redis.call('ZADD', KEYS[1], string.format('%.0f', first), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
