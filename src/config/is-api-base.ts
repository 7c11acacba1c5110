/** Whether a text is an http(s) URL that a path can be put behind. */
export const isApiBase = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '' && password === '';
};
