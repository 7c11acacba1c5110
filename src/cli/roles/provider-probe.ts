import type { Config } from '../../config/schema.ts';
import { createProviderHttp } from '../../drivers/http/provider-http.ts';
import { systemClock } from '../../ports/clock.ts';
import { probeAccount } from '../../providers/account-probe.ts';
import type { ProbeAccount } from '../doctor/account-checks.ts';

/** Asks each provider over a connection of its own, bounded as a readback worker's are. */
export const createProviderProbe =
  ({ readback }: Config): ProbeAccount =>
  async (account) => {
    const http = createProviderHttp({
      apiBase: account.apiBase,
      timeoutMs: readback.call_timeout_ms,
      maxBytes: readback.answer_bytes,
      connections: 1,
      allowPrivate: readback.allow_private,
    });
    try {
      return await probeAccount(account, { send: (call) => http.send(call), now: () => systemClock.now() });
    } finally {
      await http.close();
    }
  };
