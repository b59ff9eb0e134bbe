// Imported first, and written so that old versions of Node can run it.
const oldest = '20.19';
const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(
    `Parley needs Node.js ${oldest} or newer to start, and this is ${process.versions.node}. Get a newer one from https://nodejs.org.`,
  );
  process.exit(1);
}
