/** The text of a worker's script: tools/workers.js bundles it. */
declare module "worker:*" {
  const source: string;
  export default source;
}
