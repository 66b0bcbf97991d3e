/** URL of the module `name` beside the one at `url`: a .ts file in a checkout, a .js file once compiled. */
export function siblingModule(name: string, url: string): URL {
  return new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);
}
