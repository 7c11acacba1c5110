--[[
  A token bucket as one instant (the generic cell rate algorithm), on the server's clock.

  KEYS[1]  rate (string: when the bucket will be full again, milliseconds with a fraction)

  ARGV[1]  milliseconds between two calls
  ARGV[2]  calls that may come at once
  ARGV[3]  "": take one call; else milliseconds during which nobody may

  Returns whole milliseconds to wait; 0 where a call was taken or the hold was noted.
]]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local held = tonumber(redis.call('GET', KEYS[1]) or '0')
local depth = (burst - 1) * interval
local full = math.max(held, now)

if ARGV[3] == '' then
  local wait = full - depth - now
  if wait > 0.001 then return math.ceil(wait) end
  full = full + interval
else
  full = math.max(held, now + tonumber(ARGV[3]) + depth)
end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.max(1, math.ceil(full - now)))
return 0
