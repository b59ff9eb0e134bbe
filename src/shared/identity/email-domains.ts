/**
 * Whether an address may be used for an account by the settings `allowedEmailDomains` and `refusedEmailDomains`. A
 * domain includes its subdomains. Without allowed domains, all that are not refused are allowed.
 * @param email a valid address in lower case
 */
export function isEmailDomainAllowed(
  email: string,
  { allowed, refused }: { allowed: readonly string[]; refused: readonly string[] },
): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isWithin = (each: string) => domain === each || domain.endsWith(`.${each}`);
  return !refused.some(isWithin) && (allowed.length === 0 || allowed.some(isWithin));
}
