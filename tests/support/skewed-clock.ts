/**
 * Preloaded into a process (`--import`): shifts its clock by SKEWED_BY milliseconds, as on a machine without a time
 * server.
 */
const by = Number(process.env['SKEWED_BY'] ?? '0');
const right = Date.now.bind(Date);
Date.now = () => right() + by;

globalThis.Date = new Proxy(Date, {
  construct: (date, given: [], newTarget) =>
    Reflect.construct(date, given.length === 0 ? [Date.now()] : given, newTarget) as object,
});
