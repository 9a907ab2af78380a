/** Runs before anything is painted: sets the theme that was chosen in this browser. Its own small file, because nothing may be inline. */
const chosen = localStorage.getItem("mom.theme");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
