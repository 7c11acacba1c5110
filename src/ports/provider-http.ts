/** One call of a provider's API. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** begins with a slash, is already encoded, and goes behind the account's API base */
  readonly path: string;
  /** names in lower case; may hold credentials: never logged */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came of a call: what the server answered, whatever its status, or why it did not. */
export type HttpAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** names in lower case; of a repeated header the first value */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | {
      readonly outcome: 'failed';
      /** `malformed`: it answered what cannot be taken, such as more bytes than allowed */
      readonly kind: 'timeout' | 'network' | 'malformed';
      /** for a person; holds no header, no body and no credential */
      readonly message: string;
    };

/** The API of one account: one base URL, bounded in time and size. Redirects are answers, never followed. */
export interface ProviderHttp {
  /** Never rejects. Ends within its deadline, or as soon as `signal` is aborted. */
  send(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}
