/** What the model of the benches always says: whoever sees it come out of mom knows that the turn has been answered. */
export const replyText = "bench-reply";
