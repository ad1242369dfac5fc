// Runs before the first paint, so that a remembered theme does not flash.
(function () {
  "use strict";
  var theme = null;
  try {
    theme = localStorage.getItem("duocthu-theme");
  } catch (error) {
    theme = null;
  }
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
  document.documentElement.dataset.js = "on";
})();
