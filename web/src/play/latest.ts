// The last of several things that are waited for: what the others bring comes too late.

/** Tells the thing that was begun last from those before it. */
export class Latest {
  private begun = 0;

  /** Begins a thing, and so ends those before it; the function tells whether it is the last still. */
  begin(): () => boolean {
    this.begun += 1;
    const mine = this.begun;
    return () => mine === this.begun;
  }
}
