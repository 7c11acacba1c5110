/** The same shape, read-only all the way down. Free JSON, which has no named fields, stays as it is. */
export type Frozen<T> = T extends string | number | bigint | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : string extends keyof T
      ? T
      : { readonly [Field in keyof T]: Frozen<T[Field]> };
