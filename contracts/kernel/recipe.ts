/** The values that cannot travel to another thread as data and are made in the subject's host instead. */
export const recipes = [
  'cycle',
  'throwing-getter',
  'throwing-to-json',
  'bigint',
  'sparse',
  'function',
  'symbol',
] as const;
export type RecipeName = (typeof recipes)[number];

/** A place in an argument where the host puts a value made by a recipe. */
export class Recipe {
  readonly name: RecipeName;
  /** Text that the made value carries, so that a row that holds it can be found. */
  readonly token: string;

  constructor(name: RecipeName, token = '') {
    this.name = name;
    this.token = token;
  }
}
