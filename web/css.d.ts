/** Styles are bundled by scripts/build-web.ts; to TypeScript they are nothing. */
declare module "*.css";
