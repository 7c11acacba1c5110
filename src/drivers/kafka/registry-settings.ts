/** The `registry` section of the configuration, with its URL given. Times are milliseconds. */
export interface RegistrySettings {
  /** path included */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** for one question */
  readonly timeout_ms: number;
  /** how long an id that the registry does not know is taken as unknown without asking again */
  readonly unknown_schema_ttl_ms: number;
}
