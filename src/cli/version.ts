/** The version of this mom, from package.json; the build puts it into the bundle. */
import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;
