const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/;

/** Whether only this machine reaches the address. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);

const hostOf = (authority: string): string => authority.replace(/:\d+$/, '');

/**
 * Whether a request does not come from a web page of somebody else's: a browser sends one to a loopback address as well, and
 * says so by its Origin, or by the name that it took for the address.
 */
export const isOwnRequest = (
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  isLoopback: boolean,
): boolean => {
  const { host = '', origin } = headers;
  if (isLoopback && !isLoopbackHost(hostOf(host))) return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
};
