/** What an operator decides about the product, independent of where it runs. */
export type Settings = {
  /** The address members use, such as 'https://ask.example.org'; null where it is not known. */
  publicUrl: string | null;
  /** Signs session cookies; the same on every node. */
  secret: string;
  /** How many proxies in front are believed about the member's network address. */
  trustedProxies: number;
  signUp: boolean;
  passwordSignIn: boolean;
  /** Says 'wrong credentials' without telling which of address and password was wrong. */
  hideLoginReason: boolean;
  /** Members may vote on their own posts (SPEC section 4; DECISIONS section 3.2). */
  selfVotes: boolean;
  /** Whether browsers keep the app to start it without a network; false takes back what they have. */
  serviceWorker: boolean;
};
