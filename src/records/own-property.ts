/** Sets a field that came from outside. Not an assignment: "__proto__" is a name like any other, as it is for JSON.parse. */
export const setOwn = <Value>(object: Record<string, Value>, name: string, value: Value): void => {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
};
